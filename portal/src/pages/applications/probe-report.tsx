import type { CombinedError } from 'urql';
import type { ProbeFragment } from '../../gql/types.js';
import './probe-report.css';

type Check = ProbeFragment['checks'][number];

export function ProbeReport({ probe }: { probe: ProbeFragment }) {
  return (
    <section className="probe" aria-label="Test results">
      <p role="status">
        <b>{summaryOf(probe)}</b>
      </p>
      <ol>
        {probe.checks.map((check) => (
          <CheckRow key={check.name} check={check} />
        ))}
      </ol>
    </section>
  );
}

/** Checks skipped after a failure do not count. */
function summaryOf({ ok, checks }: ProbeFragment): string {
  if (ok) return `All ${checks.length} checks passed.`;
  const failed = checks.filter((check) => check.wasTried && !check.ok).length;
  return failed === 1 ? '1 check failed.' : `${failed} checks failed.`;
}

function CheckRow({ check: { name, ok, wasTried, sent, got, reason } }: { check: Check }) {
  return (
    <li data-ok={ok}>
      <p>
        {wasTried ? (
          <span className={`badge ${ok ? 'good' : 'bad'}`}>{ok ? 'passed' : 'failed'}</span>
        ) : (
          <span className="badge">skipped</span>
        )}{' '}
        <b>{sentence(name)}</b>
      </p>
      {reason !== null && <p className="reason">{reason}</p>}
      {(sent !== null || got !== null) && (
        <details open={!ok}>
          <summary>Request and response</summary>
          <Exchange title="Request" text={sent} />
          <Exchange title="Response" text={got} />
        </details>
      )}
    </li>
  );
}

export function Exchange({ title, text }: { title: string; text: string | null }) {
  return (
    <figure className="exchange">
      <figcaption>{title}</figcaption>
      {text === null ? <p className="soft">None</p> : <Text text={text} />}
    </figure>
  );
}

function Text({ text }: { text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll
  return <pre tabIndex={0}>{text}</pre>;
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns null if the save was refused for another reason. */
export function probeIn(error: CombinedError | undefined): ProbeFragment | null {
  const probe = error?.graphQLErrors[0]?.extensions.probe;
  return isProbe(probe) ? probe : null;
}

function isProbe(probe: unknown): probe is ProbeFragment {
  return typeof probe === 'object' && probe !== null && 'checks' in probe && Array.isArray(probe.checks);
}
