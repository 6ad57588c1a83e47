import { type RefObject, useRef, useState } from 'react';
import { TestInteractionsEndpointDocument } from '../../../gql/applications/interactions/interactions.js';
import type { ProbeFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { type Draft, useDraft } from '../../../ui/draft.js';
import { TextField } from '../../../ui/field.js';
import { Refusal } from '../../../ui/form.js';
import { Question } from '../../../ui/question.js';
import { DraftForm } from '../../../ui/save.js';
import { useApplication, useUpdateApplication } from '../application.js';
import { ProbeReport, probeIn } from '../probe-report.js';
import { useReason } from '../reasons.js';

const NAMES = { url: 'Endpoint URL' };

/** The server saves the URL only after a successful probe. */
export function EndpointCard() {
  const application = useApplication();
  const readOnly = useReason('UPDATE_SETTINGS');
  const draft = useDraft({ url: application.interactionsEndpointUrl ?? '' });
  const [probe, setProbe] = useState<ProbeFragment | null>(null);
  const { save, question } = useSaveUrl(setProbe);
  const field = useRef<HTMLInputElement>(null);
  const test = useTest(draft, setProbe, field);
  return (
    <section className="card endpoint" aria-labelledby="endpoint">
      <h2 id="endpoint">Endpoint</h2>
      {application.hasListener && (
        <p className="notice warn" role="status">
          <code>causeway listen</code> receives all interactions now, on a developer’s machine. When it ends, they go to
          this URL or the gateway again.
        </p>
      )}
      <DraftForm draft={draft} names={NAMES} save={save} readOnly={readOnly}>
        {(faults) => (
          <TextField
            label="Endpoint URL"
            type="url"
            inputMode="url"
            placeholder="https://bot.example/interactions"
            hint="Commands, components and modals are sent here as signed requests. Without a URL, your bot receives them over the gateway."
            ref={field}
            value={draft.value.url}
            fault={test.fault ?? faults.interactionsEndpointUrl}
            onChange={({ target }) => draft.set('url', target.value)}
          />
        )}
      </DraftForm>
      <div className="actions">
        <button type="button" className="plain" disabled={test.isOff || readOnly !== undefined} onClick={test.run}>
          Test endpoint
        </button>
        <span role="status" className="soft">
          {test.isBusy && 'Testing …'}
        </span>
      </div>
      <Refusal problem={test.problem} seconds={test.seconds} />
      {probe && <ProbeReport probe={probe} />}
      {question}
    </section>
  );
}

function useTest(
  { value: { url } }: Draft<{ url: string }>,
  show: (probe: ProbeFragment | null) => void,
  field: RefObject<HTMLInputElement | null>,
) {
  const { id } = useApplication();
  const { run, isBusy, isOff, problem, seconds } = useAction(TestInteractionsEndpointDocument, { isQuiet: true });
  const test = async () => {
    show(null);
    const answer = await run({ input: { applicationId: id, url: url.trim() } });
    if (answer) show(answer.testInteractionsEndpoint.probe);
    else field.current?.focus();
  };
  return {
    run: () => void test(),
    isBusy,
    isOff: isOff || url.trim() === '',
    fault: problem?.fields.url,
    problem,
    seconds,
  };
}

/** Asks before removing the URL. */
function useSaveUrl(show: (probe: ProbeFragment | null) => void) {
  const update = useUpdateApplication();
  const [answer, setAnswer] = useState<((isWanted: boolean) => void) | null>(null);
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve));
  const save = async ({ url = '' }: { url?: string }) => {
    const wanted = url.trim() === '' ? null : url.trim();
    if (wanted === null && !(await ask())) return undefined;
    const saved = await update({ interactionsEndpointUrl: wanted });
    show(probeIn(saved.error));
    return saved;
  };
  const decide = (isWanted: boolean) => {
    answer?.(isWanted);
    setAnswer(null);
  };
  return { save, question: answer && <ClearQuestion decide={decide} /> };
}

function ClearQuestion({ decide }: { decide: (isWanted: boolean) => void }) {
  return (
    <Question
      title="Remove the endpoint URL?"
      safe="Cancel"
      onSafe={() => decide(false)}
      action={
        <button type="button" className="bad" onClick={() => decide(true)}>
          Remove URL
        </button>
      }
    >
      <p>Interactions will only go over the gateway. They fail while your bot has no open gateway session.</p>
    </Question>
  );
}
