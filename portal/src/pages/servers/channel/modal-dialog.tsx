import { useState } from 'react';
import { SubmitModalDocument } from '../../../gql/servers/channel/commands.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { OpenDialog } from '../../../ui/dialog.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { Form } from '../../../ui/form.js';
import { fieldsOf, textOf } from '../json.js';
import { type Part, partsOf } from './components.js';
import { ModalPart } from './modal-part.js';
import { type Filled, filledPart, initialOf, type ModalInput } from './modal-values.js';

interface ModalDialogProps {
  interactionId: string;
  /** In wire format. */
  modal: unknown;
  /** By custom id. Outlives the dialog. */
  typed: Typed;
  onType: (typed: Typed) => void;
  onSent: (interaction: InteractionShownFragment) => void;
  onClose: () => void;
}

export type Typed = Readonly<Record<string, Filled>>;

export function ModalDialog({ interactionId, modal, typed, onType, onSent, onClose }: ModalDialogProps) {
  const { title, components } = fieldsOf(modal);
  const [parts] = useState<Part[]>(() => partsOf(components));
  const inputs = parts.flatMap(inputsIn);
  const filled = { ...Object.fromEntries(inputs.map((input) => [input.customId, initialOf(input)])), ...typed };
  const { run, isBusy, problem } = useAction(SubmitModalDocument, { isQuiet: true });
  const submit = async () => {
    const files: File[] = [];
    const sent = inputs.map((input) => filledPart(input, filled[input.customId], files));
    const data = await run({ input: { interactionId, components: sent, ...(files.length > 0 ? { files } : {}) } });
    if (data) onSent(data.submitModal.interaction);
  };
  return (
    <OpenDialog title={textOf(title) ?? 'Form'} onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        onSubmit={submit}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Submit" />}
      >
        {parts.map((part, index) => (
          <ModalPart
            key={index}
            part={part}
            filled={filled}
            faultOf={(customId) => faultAt(problem?.fields ?? {}, inputs, customId)}
            onFill={(customId, value) => onType({ ...typed, [customId]: value })}
          />
        ))}
      </Form>
    </OpenDialog>
  );
}

function inputsIn(part: Part): ModalInput[] {
  switch (part.kind) {
    case 'group':
      return part.parts.flatMap(inputsIn);
    case 'label':
      return inputsIn(part.part);
    case 'input':
    case 'select':
    case 'choices':
    case 'check':
    case 'files':
      return [part];
    default:
      return [];
  }
}

/** Error paths have the index among the sent inputs. */
function faultAt(fields: Record<string, string>, inputs: ModalInput[], customId: string): string | undefined {
  const place = inputs.findIndex((input) => input.customId === customId);
  return Object.entries(fields).find(([path]) => path.startsWith(`components.${place}.`))?.[1];
}
