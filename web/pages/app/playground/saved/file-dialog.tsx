import type { ComponentProps } from "react";
import { Button } from "../../../../components/controls/button.tsx";
import { Dialog } from "../../../../components/overlays/dialog.tsx";
import { FormDialog } from "../../../../components/overlays/form-dialog.tsx";
import { Callout } from "../../../../components/states/callout.tsx";
import { canEncrypt } from "./encrypted-file.ts";

/** A form that encrypts or decrypts; where the browser will not, it says so. */
export function FileDialog(form: ComponentProps<typeof FormDialog>) {
  if (canEncrypt()) return <FormDialog {...form} />;
  const { title, description, onClose } = form;
  return (
    <Dialog
      title={title}
      description={description}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Callout tone="warn" title="Your browser does not encrypt on this page">
        It does so only over HTTPS or on localhost. Open the service at an address that begins with https://.
      </Callout>
    </Dialog>
  );
}
