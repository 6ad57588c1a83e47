import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { fetchInTime } from '../fetch-in-time.js';
import { isLostWithTab } from '../unsaved.js';
import { Ending } from './endings.js';

/** The file of a page did not come: the server is away, or a newer build is served, which has it by another name. */
export class MissingPage extends Error {
  override name = 'MissingPage';
}

/** Loads the file of a page, or of a part of one. @throws MissingPage where it does not come */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    throw new MissingPage();
  }
}

/** In the place of a page that could not be shown. */
export function Broken({ error }: Pick<ErrorComponentProps, 'error'>) {
  const isMissing = error instanceof MissingPage;
  const text = error instanceof Error ? error.message : String(error);
  const missingText = isLostWithTab() ? UNSENT : 'It is loaded by itself as soon as the server can be reached.';
  return (
    <Ending
      title={isMissing ? 'This page could not be loaded' : 'This page broke'}
      text={isMissing ? missingText : text}
    >
      {isMissing && <Comeback />}
      <button type="button" onClick={() => window.location.reload()}>
        Load it again
      </button>
    </Ending>
  );
}

/** Said where loading by itself would lose something that is still there. */
const UNSENT =
  'It can be loaded anew once the server can be reached. What you wrote elsewhere and did not send is lost by that: send it first.';

/** How often the server is asked whether it is there, in milliseconds. */
const ASK_EVERY_MS = 3_000;

/** For how long a page that was just loaded is not loaded anew though the server is there, in milliseconds. */
const YOUNG_MS = 10_000;

/** Loads the page anew once the server is there again, or a newer build is; not where that would lose something. */
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

/** The text of the page in which every page opens, as it is served now; null where none is. */
async function servedPage(): Promise<string | null> {
  try {
    const answer = await fetchInTime('/portal');
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** Whether what is served is of another build than this page. */
function isNewer(served: string): boolean {
  const entry = document.querySelector<HTMLScriptElement>('script[type=module]');
  return entry !== null && !served.includes(new URL(entry.src).pathname);
}
