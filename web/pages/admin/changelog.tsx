import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Tabs } from "../../components/controls/tabs.tsx";
import { EntryEditor } from "./changelog/entry-editor.tsx";
import { EntryList } from "./changelog/entry-list.tsx";
import { MaintenanceEditor } from "./changelog/maintenance-editor.tsx";
import { MaintenanceList } from "./changelog/maintenance-list.tsx";

export default function Changelog() {
  const [tab, setTab] = useState("entries");
  const [creating, setCreating] = useState(false);
  const close = () => setCreating(false);
  return (
    <>
      <PageHeader
        title="Changelog"
        description="Announcements of changes and maintenance."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setCreating(true)}>
            {tab === "entries" ? "New entry" : "Schedule maintenance"}
          </Button>
        }
      />
      <Tabs
        label="Announcements"
        value={tab}
        onValueChange={setTab}
        items={[
          { id: "entries", label: "Entries", content: <EntryList /> },
          { id: "maintenance", label: "Maintenance", content: <MaintenanceList /> },
        ]}
      />
      {creating &&
        (tab === "entries" ? (
          <EntryEditor entry={null} onClose={close} />
        ) : (
          <MaintenanceEditor window={null} onClose={close} />
        ))}
    </>
  );
}
