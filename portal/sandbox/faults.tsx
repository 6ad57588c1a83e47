import { type FormEvent, useState } from 'react';
import type { FaultDescription } from '../../src/sandbox/protocol.js';
import { Refusal, useAction } from './action.js';
import { EXAMPLES, PRESETS, textOf } from './fault-rules.js';

export function Faults({ worldId, faults }: { worldId: string; faults: readonly FaultDescription[] }) {
  const { run, isBusy, problem } = useAction();
  const world = `/worlds/${worldId}`;
  const path = `${world}/faults`;
  const removeAll = () =>
    run((control) => Promise.all(faults.map(({ id }) => control.request('DELETE', `${path}/${id}`))));
  return (
    <section className="card" aria-labelledby="faults">
      <div className="heading">
        <h2 id="faults">Faults</h2>
        {faults.length > 1 && (
          <button type="button" className="bad plain small" disabled={isBusy} onClick={removeAll}>
            Remove all
          </button>
        )}
      </div>
      <ul className="list">
        {faults.map(({ id, rule, seen, applied }) => (
          <li key={id}>
            <div>
              <code>{textOf(rule)}</code>
              <p className="small soft">
                Matched {seen}, applied {applied}
              </p>
            </div>
            <button
              type="button"
              className="bad plain small"
              disabled={isBusy}
              aria-label={`Remove ${textOf(rule)}`}
              onClick={() => run((control) => control.request('DELETE', `${path}/${id}`))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {faults.length === 0 && <p className="soft">The platform behaves normally.</p>}
      <fieldset className="sandbox-presets" disabled={isBusy}>
        <legend>Presets</legend>
        <div className="buttons">
          {Object.entries(PRESETS).map(([preset, label]) => (
            <button
              key={preset}
              type="button"
              className="plain small"
              onClick={() => run((control) => control.request('POST', `${world}/fault-presets`, { body: { preset } }))}
            >
              {label}
            </button>
          ))}
        </div>
      </fieldset>
      <Refusal problem={problem} />
      <NewFault path={path} />
    </section>
  );
}

function NewFault({ path }: { path: string }) {
  const { run, isBusy, problem } = useAction();
  const [rule, setRule] = useState(ruleOf(0));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run((control) => control.request('POST', path, { body: parse(rule) }));
  };
  return (
    <form className="sandbox-new-fault" onSubmit={submit}>
      <label className="label" htmlFor="example">
        New fault
      </label>
      <select id="example" onChange={({ target }) => setRule(ruleOf(target.selectedIndex))}>
        {EXAMPLES.map(([name]) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <details>
        <summary>Change the rule</summary>
        <textarea
          aria-label="Rule in JSON"
          rows={7}
          spellCheck={false}
          value={rule}
          onChange={({ target }) => setRule(target.value)}
        />
      </details>
      <Refusal problem={problem} />
      <button type="submit" className="small" disabled={isBusy}>
        Add fault
      </button>
    </form>
  );
}

function ruleOf(index: number): string {
  return JSON.stringify(EXAMPLES[index]?.[1], null, 2);
}

/** @throws {Error} */
function parse(rule: string): object {
  try {
    return JSON.parse(rule);
  } catch (error) {
    throw new Error(`The rule is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}
