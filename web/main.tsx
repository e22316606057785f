import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { App } from "./app.tsx";
import { aroundNav, holdHistory } from "./service/leave-guard.ts";
import { makeQueryClient } from "./service/query-client.ts";
import { followTabs } from "./service/session.ts";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

const client = makeQueryClient();
followTabs(client);
holdHistory();

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Router aroundNav={aroundNav}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
