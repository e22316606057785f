/** Renders the page for the current address in its layout. */
import { Suspense, type ReactNode } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { PageFailure } from "./components/states/page-failure.tsx";
import { PageLoading } from "./components/states/skeleton.tsx";
import { Toaster } from "./components/overlays/toast.tsx";
import { useArrival, useFragmentTarget } from "./hooks/use-arrival.ts";
import { FormLayout } from "./layouts/form-layout.tsx";
import { PublicLayout } from "./layouts/public-layout.tsx";
import { lazy } from "./lazy.tsx";
import NotFound from "./pages/not-found.tsx";
import { routes, type PageRoute } from "./routes.ts";

// The shell of the signed-in pages includes menus and dialogs, which a first visit does not need.
const AppLayout = lazy(() => import("./layouts/app-layout.tsx"));

export function App() {
  const [path] = useLocation();
  useArrival();
  useFragmentTarget();
  return (
    <PageFailure path={path}>
      <Suspense fallback={<PageLoading />}>
        <Switch>
          {routes.map((route) => (
            <Route key={route.path} path={route.path}>
              <Layout kind={route.layout}>
                <PageFailure path={path}>
                  <Suspense fallback={<PageLoading />}>
                    <route.Page />
                  </Suspense>
                </PageFailure>
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
