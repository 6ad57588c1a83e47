import { useEffect, useState } from 'react';
import type { TranscriptEntry } from '../../src/sandbox/protocol.js';
import type { Control } from './control.js';

/** Entries that the page keeps. */
const SHOWN = 1_000;

/** Of one request, in milliseconds. */
const WAIT_MS = 25_000;

const RETRY_MS = 2_000;

/**
 * The last entries of a world, which grow as things happen.
 * @param before called before entries are added
 */
export function useTranscript(control: Control, worldId: string, before: () => void): readonly TranscriptEntry[] {
  const [entries, setEntries] = useState<readonly TranscriptEntry[]>([]);
  useEffect(() => {
    const end = new AbortController();
    setEntries([]);
    void follow(control, worldId, end.signal, (added) => {
      before();
      setEntries((shown) => [...shown, ...added].slice(-SHOWN));
    });
    return () => end.abort();
  }, [control, worldId, before]);
  return entries;
}

async function follow(
  control: Control,
  worldId: string,
  signal: AbortSignal,
  add: (entries: readonly TranscriptEntry[]) => void,
): Promise<void> {
  let after = 0;
  while (!signal.aborted) {
    try {
      const path = `/worlds/${worldId}/transcript?after=${after}&withinMs=${WAIT_MS}`;
      const entries = await control.request<TranscriptEntry[]>('GET', path, { signal });
      if (signal.aborted) return;
      after = entries.at(-1)?.number ?? after;
      if (entries.length > 0) add(entries);
    } catch {
      // The rest of the page says what is wrong.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
