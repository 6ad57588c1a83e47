import { useState } from 'react';
import { CreateDataExportDocument } from '../../gql/account/download-data.js';
import type { StartedExportFragment } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { StartedExport, startDownload } from './started-export.js';

export function DownloadData() {
  const [isAsking, ask] = useState(false);
  const [started, setStarted] = useState<StartedExportFragment | null>(null);
  const start = (made: StartedExportFragment) => {
    closeFirst(() => ask(false));
    setStarted(made);
    startDownload(made);
  };
  return (
    <section className="card" aria-labelledby="download-data">
      <h2 id="download-data">Your data</h2>
      <p className="soft">
        Download one archive with your profile, messages, files, servers, applications, teams, authorized applications,
        and the audit log entries about you. Messages in servers on boxes are stored on the boxes and are not in it.
      </p>
      {started && <StartedExport of={started} />}
      <button type="button" className="plain" onClick={() => ask(true)}>
        Download my data
      </button>
      {isAsking && <PasswordDialog onClose={() => ask(false)} onMade={start} />}
    </section>
  );
}

interface PasswordDialogProps {
  onClose: () => void;
  /** Must close the dialog. */
  onMade: (made: StartedExportFragment) => void;
}

function PasswordDialog({ onClose, onMade }: PasswordDialogProps) {
  const { run, isBusy, problem } = useAction(CreateDataExportDocument, { isQuiet: true });
  const [password, setPassword] = useState('');
  const create = async () => {
    const data = await run({ input: { password } });
    if (data) onMade(data.createDataExport);
  };
  return (
    <OpenDialog title="Download my data" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={password !== ''}
        onSubmit={() => void create()}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Start download" />}
      >
        <p>The archive contains everything you wrote. Keep it where no one else can read it.</p>
        <TextField
          label="Password"
          hint="Enter your password to confirm that it is you."
          type="password"
          autoComplete="current-password"
          maxLength={128}
          value={password}
          fault={problem?.fields.password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Form>
    </OpenDialog>
  );
}
