import { type DragEvent, useState } from 'react';
import {
  ApplyApplicationFileDocument,
  PlanApplicationFileDocument,
} from '../../../gql/applications/as-code/as-code.js';
import type { ApplyApplicationFileMutation, FilePlanFragment } from '../../../gql/types.js';
import { readYaml } from '../../../gql/yaml-file.js';
import { useAction } from '../../../ui/action.js';
import { TextArea } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import type { Problem } from '../../../ui/problems.js';
import { Question } from '../../../ui/question.js';
import { SecretsDialog } from '../../../ui/secrets.js';
import { say } from '../../../ui/toasts.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { FilePlan } from './file-plan.js';

type Created = ApplyApplicationFileMutation['applyApplicationFile']['createdWebhooks'];

/** @param current text of the current file */
export function ApplyFile({ current }: { current: string | undefined }) {
  const [text, setText] = useState('');
  const [created, setCreated] = useState<Created>([]);
  const plans = usePlans(text, (webhooks) => {
    setText('');
    setCreated(webhooks);
  });
  const edit = (next: string) => {
    setText(next);
    plans.drop();
  };
  const reason = useReason('UPDATE_SETTINGS');
  const isEmpty = text.trim() === '';
  return (
    <>
      <p>
        Paste or drop a file to see what it would change. Fields that it leaves out stay as they are. Commands and
        webhooks that its lists leave out are deleted.
      </p>
      {reason !== undefined && <p className="hint">{reason}</p>}
      <Form
        problem={plans.problem}
        isBusy={plans.isBusy}
        isChanged={!isEmpty}
        onSubmit={plans.show}
        buttons={(isOff) => (
          <div className="actions">
            <StartButton text={text} current={current} onStart={edit} />
            <FileButton onRead={edit} />
            <button type="submit" className="plain" disabled={isOff || reason !== undefined || isEmpty}>
              Preview changes
            </button>
          </div>
        )}
      >
        <TextArea
          label="File as YAML"
          className="as-code-text"
          rows={12}
          spellCheck={false}
          value={text}
          fault={plans.fault}
          onChange={({ target }) => edit(target.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => void readDropped(event, edit)}
        />
      </Form>
      {plans.plan && <FilePlan plan={plans.plan} isBusy={plans.isBusy} onApply={plans.apply} />}
      {created.length > 0 && (
        <SecretsDialog
          title="URLs of the new webhooks"
          secrets={created.map(({ url, webhook }, index) => ({
            label: `Webhook URL of ${webhook.name}`,
            variable: `WEBHOOK_URL_${index + 1}`,
            value: url,
          }))}
          onDone={() => setCreated([])}
        />
      )}
    </>
  );
}

/** Dropped text stays text. */
async function readDropped(event: DragEvent, onRead: (text: string) => void): Promise<void> {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  onRead(await file.text());
}

function FileButton({ onRead }: { onRead: (text: string) => void }) {
  return (
    <label className="button plain as-code-choose">
      <input
        type="file"
        className="hidden-input"
        accept=".yaml,.yml"
        onChange={async ({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) onRead(await file.text());
        }}
      />
      Choose a file
    </label>
  );
}

type Read = ReturnType<typeof readYaml>;

/** The server refuses an outdated plan, which cannot be applied again. */
function usePlans(text: string, onApplied: (created: Created) => void) {
  const { id: applicationId } = useApplication();
  const planning = useAction(PlanApplicationFileDocument, { isQuiet: true });
  const applying = useAction(ApplyApplicationFileDocument, { isQuiet: true });
  const [plan, setPlan] = useState<FilePlanFragment | null>(null);
  const [read, setRead] = useState<Read | null>(null);
  const [isPlanned, setPlanned] = useState(false);
  const drop = () => {
    setPlan(null);
    setRead(null);
  };
  const show = async () => {
    drop();
    setPlanned(false);
    const file = readYaml(text);
    setRead(file);
    if ('faults' in file) return;
    const data = await planning.run({ input: { applicationId, file: file.content, dryRun: true } });
    if (data) setPlan(data.applyApplicationFile.plan);
  };
  const apply = async () => {
    if (!plan || !read || 'faults' in read) return;
    setPlanned(true);
    const data = await applying.run({ input: { applicationId, file: read.content, planDigest: plan.digest } });
    setPlan(null);
    if (!data) return;
    say('Changes applied');
    onApplied(data.applyApplicationFile.createdWebhooks);
  };
  const { problem } = isPlanned ? applying : planning;
  return {
    plan,
    drop,
    show: () => void show(),
    apply: () => void apply(),
    isBusy: planning.isBusy || applying.isBusy,
    problem: read && 'faults' in read ? null : problem,
    fault: read ? faultsText(read, problem) : undefined,
  };
}

function faultsText(read: Read, problem: Problem | null): string | undefined {
  if ('faults' in read) return read.faults.map(({ line, message }) => placed(line, message)).join('\n');
  const faults = Object.entries(problem?.fields ?? {}).map(([path, message]) => {
    const field = path.replace(/^file\.?/, '');
    return placed(read.lineOf(field), field === '' ? message : `${field}: ${message}`);
  });
  return faults.length === 0 ? undefined : faults.join('\n');
}

function placed(line: number | null, text: string): string {
  return line === null ? text : `Line ${line}: ${text}`;
}

interface StartButtonProps {
  text: string;
  current: string | undefined;
  onStart: (text: string) => void;
}

/** Asks before replacing typed text. */
function StartButton({ text, current, onStart }: StartButtonProps) {
  const [isAsked, ask] = useState(false);
  const start = () => {
    ask(false);
    if (current !== undefined) onStart(current);
  };
  const isTyped = text.trim() !== '' && text !== current;
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={current === undefined}
        onClick={() => (isTyped ? ask(true) : start())}
      >
        Load current file
      </button>
      {isAsked && (
        <Question
          title="Replace your text?"
          safe="Keep my text"
          onSafe={() => ask(false)}
          action={
            <button type="button" className="bad" onClick={start}>
              Replace text
            </button>
          }
        >
          <p>Your text will be replaced with the current file. This can't be undone.</p>
        </Question>
      )}
    </>
  );
}
