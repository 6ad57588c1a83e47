import { type ReactNode, useState } from 'react';
import type { AnyVariables, TypedDocumentNode } from 'urql';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextArea, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';

interface ActDialogProps<Data, Variables extends AnyVariables> {
  /** For example “Suspend ada?”. */
  title: string;
  doIt: string;
  document: TypedDocumentNode<Data, Variables>;
  variables: (reason: string) => Variables;
  /** Must close the dialog. */
  onDone: (data: Data) => void;
  onClose: () => void;
  /** Consequences, and further fields. `faults` has error messages by path. */
  children: (faults: Record<string, string>) => ReactNode;
  isBad?: boolean;
  /** Whether the further fields have input. */
  isChanged?: boolean;
  /** Whether the further fields are complete. */
  isReady?: boolean;
}

/** An operator's action, for which the audit log of the instance needs a reason. */
export function ActDialog<Data, Variables extends AnyVariables>(props: ActDialogProps<Data, Variables>) {
  const { title, doIt, document, variables, onDone, onClose, children } = props;
  const { isBad, isChanged = false, isReady = true } = props;
  const { run, isBusy, problem } = useAction(document, { isQuiet: true });
  const [reason, setReason] = useState('');
  const act = async () => {
    const data = await run(variables(reason));
    if (data) closeFirst(() => onDone(data));
  };
  return (
    <OpenDialog title={title} onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={isChanged || reason !== ''}
        onSubmit={() => void act()}
        buttons={(isOff) => <DialogButtons isOff={isOff || !isReady} doIt={doIt} isBad={isBad} />}
      >
        {children(problem?.fields ?? {})}
        <TextField
          label="Reason"
          hint="Required. Only operators and moderators see it, in the audit log of the instance."
          maxLength={512}
          value={reason}
          fault={problem?.fields.reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </Form>
    </OpenDialog>
  );
}

interface SuspensionTextProps {
  label: string;
  hint: string;
  value: string;
  fault: string | undefined;
  onChange: (text: string) => void;
}

export function SuspensionText({ onChange, ...props }: SuspensionTextProps) {
  return <TextArea maxLength={512} rows={3} {...props} onChange={({ target }) => onChange(target.value)} />;
}
