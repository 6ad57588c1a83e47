import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { InvokeCommandDocument } from '../../../gql/servers/channel/commands.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { Closable, useClosing } from '../../../ui/closing.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { Form } from '../../../ui/form.js';
import { NONE, type Problem } from '../../../ui/problems.js';
import { useChannel } from './open-channel.js';
import { OptionField } from './option-field.js';
import { faultsByName, type Given, type Runnable, sentOptions } from './options.js';

interface CommandFormProps {
  runnable: Runnable;
  follow: (interaction: InteractionShownFragment) => void;
  onLeave: () => void;
  askAgain: () => void;
}

export function CommandForm({ runnable, follow, onLeave, askAgain }: CommandFormProps) {
  const { invoked, source, name, options } = runnable;
  const { id: channelId } = useChannel();
  const [given, setGiven] = useState<Record<string, Given>>({});
  const [sent, setSent] = useState<string[]>([]);
  const [missing, setMissing] = useState<Record<string, string>>({});
  const { run, isBusy, problem } = useAction(InvokeCommandDocument, { isQuiet: true });
  const invoke = async () => {
    const absent = options.filter((one) => one.isRequired && !given[one.name]);
    setMissing(Object.fromEntries(absent.map((one) => [one.name, 'This option is required.'])));
    if (absent.length > 0) return;
    const { files, names, options: values } = sentOptions(runnable, given);
    setSent(names);
    const data = await run({
      input: { channelId, ...invoked, options: values, ...(files.length > 0 ? { files } : {}) },
    });
    if (!data) return askAgain();
    follow(data.invokeCommand.interaction);
    onLeave();
  };
  const faults = useMemo(
    () => ({ ...faultsByName(problem?.fields ?? {}, sent), ...missing }),
    [problem, sent, missing],
  );
  // Memoized, because the form moves the focus whenever it gets a new problem object.
  const shown = useMemo(() => shownProblem(problem, faults), [problem, faults]);
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(
    () => section.current?.querySelector<HTMLElement>('input, select, textarea, [type=submit]')?.focus(),
    [],
  );
  const closing = useClosing(onLeave);
  const isChanged = Object.values(given).some((value) => value !== undefined && value !== '');
  return (
    <section className="picker" aria-label={`Command ${name}`} ref={section}>
      <Closable closing={closing}>
        <h3>
          /{name} <span className="soft small">{source}</span>
        </h3>
        <p className="soft small">{runnable.description}</p>
        <Form
          problem={shown}
          isBusy={isBusy}
          isChanged={isChanged}
          onSubmit={invoke}
          buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Run command" />}
        >
          {options.map((option) => (
            <OptionField
              key={option.name}
              option={option}
              runnable={runnable}
              given={given}
              fault={faults[option.name]}
              onGive={(value) => setGiven((before) => ({ ...before, [option.name]: value }))}
            />
          ))}
        </Form>
      </Closable>
    </section>
  );
}

/** Errors that belong to no option go above the buttons. */
function shownProblem(problem: Problem | null, faults: Record<string, string>): Problem | null {
  if (!problem) return Object.keys(faults).length > 0 ? { ...MISSING } : null;
  const named = Object.values(faults);
  const elsewhere = Object.values(problem.fields).filter((message) => !named.includes(message));
  return { ...problem, message: problem.message ?? (elsewhere.length > 0 ? elsewhere.join(' ') : null) };
}

const MISSING: Problem = { ...NONE, code: 'BAD_USER_INPUT' };
