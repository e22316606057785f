import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { MaintenanceEditor } from "./maintenance/maintenance-editor.tsx";
import { MaintenanceList } from "./maintenance/maintenance-list.tsx";

export default function Maintenance() {
  const [scheduling, setScheduling] = useState(false);
  return (
    <>
      <PageHeader
        title="Maintenance"
        description="Windows in which requests get 503, announced on every page from the day before."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setScheduling(true)}>
            Schedule maintenance
          </Button>
        }
      />
      <MaintenanceList />
      {scheduling && <MaintenanceEditor window={null} onClose={() => setScheduling(false)} />}
    </>
  );
}
