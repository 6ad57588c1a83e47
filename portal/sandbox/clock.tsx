import { type FormEvent, useState } from 'react';
import type { ClockDescription } from '../../src/sandbox/protocol.js';
import { Refusal, useAction } from './action.js';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

const STEPS: [by: string, text: string][] = [
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
];

/** @param worlds how many the instance has */
export function Clock({ clock, worlds }: { clock: ClockDescription; worlds: number }) {
  const { run, isBusy, problem } = useAction();
  const [own, setOwn] = useState('');
  const isShared = worlds > 1;
  const isOff = isBusy || isShared;
  const advance = (by: string) => run((control) => control.request('POST', '/clock/advance', { body: { by } }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void advance(own);
  };
  const turn = clock.isFrozen ? 'resume' : 'freeze';
  return (
    <section className="card" aria-labelledby="clock">
      <div className="heading">
        <h2 id="clock">Clock</h2>
        <button
          type="button"
          className="plain small"
          disabled={isOff}
          onClick={() => run((control) => control.request('POST', `/clock/${turn}`))}
        >
          {clock.isFrozen ? 'Resume' : 'Freeze'}
        </button>
      </div>
      <p className="lead">
        <time dateTime={clock.now}>{TIME.format(new Date(clock.now))}</time>
        {clock.isFrozen && <span className="badge warn">frozen</span>}
      </p>
      {isShared && (
        <p className="notice warn">
          The clock belongs to the whole instance, and {worlds} worlds use it. You can move it when there is one world.
        </p>
      )}
      <fieldset disabled={isOff}>
        <legend>Advance by</legend>
        <div className="buttons">
          {STEPS.map(([by, text]) => (
            <button key={by} type="button" className="plain small" onClick={() => advance(by)}>
              {text}
            </button>
          ))}
        </div>
        <form className="sandbox-own" onSubmit={submit}>
          <input
            type="text"
            aria-label="Other duration"
            placeholder="Such as 90s or 30d"
            required
            autoComplete="off"
            value={own}
            onChange={({ target }) => setOwn(target.value)}
          />
          <button type="submit" className="plain small">
            Advance
          </button>
        </form>
      </fieldset>
      <Refusal problem={problem} />
    </section>
  );
}
