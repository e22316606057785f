import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EntryEditor } from "./changelog/entry-editor.tsx";
import { EntryList } from "./changelog/entry-list.tsx";

export default function Changelog() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Changelog"
        description="Announcements of changes. Maintenance windows have a page of their own and appear in the public changelog, too."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setCreating(true)}>
            New entry
          </Button>
        }
      />
      <EntryList />
      {creating && <EntryEditor entry={null} onClose={() => setCreating(false)} />}
    </>
  );
}
