/** Finds the page for the address and puts it into its layout. */
import { lazy, Suspense, type ReactNode } from "react";
import { Redirect, Route, Switch } from "wouter";
import { PageFailure } from "./components/states/page-failure.tsx";
import { PageLoading } from "./components/states/page-loading.tsx";
import { Toaster } from "./components/overlays/toast.tsx";
import { useArrival } from "./hooks/use-arrival.ts";
import { useFragmentTarget } from "./hooks/use-fragment-target.ts";
import { FormLayout } from "./layouts/form-layout.tsx";
import { PublicLayout } from "./layouts/public-layout.tsx";
import NotFound from "./pages/not-found.tsx";
import { routes, type PageRoute } from "./routes.ts";

// The shell of the signed-in pages brings menus and dialogs along, which a first visit does not need.
const AppLayout = lazy(() => import("./layouts/app-layout.tsx"));

export function App() {
  useArrival();
  useFragmentTarget();
  return (
    <PageFailure>
      <Suspense fallback={<PageLoading />}>
        <Switch>
          {routes.map((route) => (
            <Route key={route.path} path={route.path}>
              <Layout kind={route.layout}>
                <Suspense fallback={<PageLoading />}>
                  <route.Page />
                </Suspense>
              </Layout>
            </Route>
          ))}
          <Route path="/admin">
            <Redirect to="/admin/accounts" replace />
          </Route>
          <Route>
            <PublicLayout>
              <NotFound />
            </PublicLayout>
          </Route>
        </Switch>
      </Suspense>
      <Toaster />
    </PageFailure>
  );
}

function Layout({ kind, children }: { kind: PageRoute["layout"]; children: ReactNode }) {
  switch (kind) {
    case "public":
      return <PublicLayout>{children}</PublicLayout>;
    case "form":
      return <FormLayout>{children}</FormLayout>;
    case "app":
      return <AppLayout>{children}</AppLayout>;
    case "admin":
      return <AppLayout admin>{children}</AppLayout>;
  }
}
