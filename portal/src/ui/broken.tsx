import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { fetchInTime } from '../fetch-in-time.js';
import { isLostWithTab } from '../unsaved.js';
import { Ending } from './endings.js';

/** A page's script did not load: the server is unreachable, or a newer build renamed the file. */
export class MissingPage extends Error {
  override name = 'MissingPage';
}

/** @throws MissingPage */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    throw new MissingPage();
  }
}

export function Broken({ error }: Pick<ErrorComponentProps, 'error'>) {
  const isMissing = error instanceof MissingPage;
  const text = error instanceof Error ? error.message : String(error);
  const missingText = isLostWithTab() ? UNSENT : 'It will load automatically as soon as the server can be reached.';
  return (
    <Ending
      title={isMissing ? 'This page could not be loaded' : 'This page crashed'}
      text={isMissing ? missingText : text}
    >
      {isMissing && <Comeback />}
      <button type="button" onClick={() => window.location.reload()}>
        Reload page
      </button>
    </Ending>
  );
}

/** Shown if a reload would lose unsaved input. */
const UNSENT =
  'Reloading discards everything you have not sent or saved. Send or save it first, then reload once the server can be reached.';

/** Interval between reachability checks, in milliseconds. */
const ASK_EVERY_MS = 3_000;

/** A younger page is not reloaded without an outage or a new build. In milliseconds. */
const YOUNG_MS = 10_000;

/** Reloads once the server is back or has a newer build, unless unsaved input would be lost. */
function Comeback() {
  useEffect(() => {
    let wasAway = false;
    const ask = async () => {
      if (isLostWithTab()) return;
      const served = await servedPage();
      const isOld = performance.now() > YOUNG_MS;
      const isWorthIt = served !== null && (wasAway || isOld || isNewer(served));
      if (isWorthIt && !isLostWithTab()) window.location.reload();
      wasAway ||= served === null;
    };
    void ask();
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return null;
}

/** Returns the portal's HTML as served now, or null. */
async function servedPage(): Promise<string | null> {
  try {
    const answer = await fetchInTime('/portal');
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

function isNewer(served: string): boolean {
  const entry = document.querySelector<HTMLScriptElement>('script[type=module]');
  return entry !== null && !served.includes(new URL(entry.src).pathname);
}
