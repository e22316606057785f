/**
 * The configuration of every client, with this service's address, a model and its limits filled in. The URL's fragment
 * selects the client (`/app/connect#codex`). A key that is created or pasted here stays in this page's memory.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocationProperty } from "wouter/use-browser-location";
import { connectModel, type ConnectTarget } from "../../../src/connect/client.js";
import { connectClients, findClient } from "../../../src/connect/clients.js";
import { type ChatModelId, chatModelIds } from "../../../src/core/models.js";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Skeleton } from "../../components/states/skeleton.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { ClientFit } from "./connect/client-fit.tsx";
import { ClientConfiguration } from "./connect/client-configuration.tsx";
import { TestConnection } from "./connect/test-connection.tsx";
import { ClientPicker } from "./connect/client-picker.tsx";
import { TargetFields } from "./connect/target-fields.tsx";
import { queries } from "../../service/queries.ts";

export default function Connect() {
  const { plan } = useMe();
  const { data } = useQuery(queries.models);
  const [key, setKey] = useState<string | null>(null);
  const [chosen, setModel] = useState<ChatModelId | null>(null);
  const [stream, setStream] = useState(false);
  const offered = chatModelIds.filter((id) => plan.models?.includes(id) !== false);
  const model = chosen ?? offered.at(0) ?? "omega";
  const models = offered.map((id) => {
    const facts = data?.models.find((one) => one.id === id);
    return connectModel(id, facts?.contextTokens ?? null, plan.maxTokens, facts?.tools);
  });
  const target: ConnectTarget = { origin: location.origin, key, model, models, stream };
  const { client, section } = useChosenClient();
  return (
    <>
      <PageHeader
        title="Connect"
        description="Pick a client and copy its configuration: address, model and limits are filled in."
      />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-8">
        <ClientPicker current={client.id} target={target} isKnown={data !== undefined} />
        <div ref={section} className="flex min-w-0 scroll-mt-6 flex-col gap-6">
          <TargetFields
            target={target}
            plan={plan}
            streams={client.streams === true}
            isKnown={data?.models.find((one) => one.id === model)?.contextTokens != null}
            onKey={setKey}
            onModel={setModel}
            onStream={setStream}
          />
          <ClientConfiguration
            client={client}
            target={target}
            fit={
              data !== undefined ? (
                <ClientFit client={client} target={target} onModel={setModel} />
              ) : (
                client.needs !== undefined && <Skeleton className="h-48 w-full sm:h-40" />
              )
            }
          />
          <TestConnection key={`${client.id} ${key ?? ""}`} client={client} target={target} />
        </div>
      </div>
    </>
  );
}

/** By the URL's fragment, by default the first. On a phone the configuration is below the list: scrolls to it. */
function useChosenClient() {
  const fragment = useLocationProperty(() => location.hash);
  const section = useRef<HTMLDivElement>(null);
  const client = findClient(fragment.slice(1)) ?? connectClients[0];
  if (client === undefined) throw new Error("There are no clients.");
  useEffect(() => {
    const isBelow = !matchMedia("(min-width: 64rem)").matches;
    if (fragment !== "" && isBelow) section.current?.scrollIntoView();
  }, [fragment]);
  return { client, section };
}
