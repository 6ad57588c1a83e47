import { useEffect, useMemo, useReducer, useState } from 'react';
import { type TypedDocumentNode, useClient } from 'urql';
import type { LogEntryFragment, LogPageFragment } from '../../gql/types.js';
import { useSubscription } from '../../live.js';
import { useQuery } from '../../query.js';
import { type Problem, problemIn } from '../../ui/problems.js';

export interface LogSource<Data, Id = string> {
  document: TypedDocumentNode<Data, LogVariables<Id>>;
  /** Undefined if the object no longer exists. */
  pageIn(data: Data): LogPageFragment | undefined;
  /** Hook that counts events after which there may be new entries. */
  useTold(id: Id): number;
}

export interface LogVariables<Id = string> {
  id: Id;
  before?: string | null | undefined;
  actions?: readonly string[] | null | undefined;
  actorId?: string | null | undefined;
}

export interface Row {
  entry: LogEntryFragment;
  isNew: boolean;
}

export interface Log {
  /** Newest first; undefined while loading. */
  rows: Row[] | undefined;
  hasOlder: boolean;
  loadOlder: () => void;
  isBusy: boolean;
  problem: Problem | null;
}

/**
 * Loads from the newest end and keeps all entries, which never change. New entries are marked.
 * The variables must not change while the hook is mounted.
 */
export function useLog<Data, Id>(source: LogSource<Data, Id>, variables: LogVariables<Id>): Log {
  const [kept, keep] = useReducer(merged, NOTHING);
  const newest = useNewest(source, variables);
  useEffect(() => {
    if (newest.page) keep({ page: newest.page, isNewest: true });
  }, [newest.page]);
  const older = useOlder(source, variables, kept.start, (page) => keep({ page, isNewest: false }));
  const rows = useMemo(() => newestFirst(kept.rows), [kept.rows]);
  return {
    rows: kept.isRead ? rows : undefined,
    hasOlder: kept.hasOlder,
    loadOlder: older.load,
    isBusy: older.isBusy,
    problem: newest.problem ?? older.problem,
  };
}

function useNewest<Data, Id>({ document, pageIn, useTold }: LogSource<Data, Id>, variables: LogVariables<Id>) {
  const { data, error, again } = useQuery<Data, LogVariables<Id>>({ query: document, variables });
  const count = useTold(variables.id);
  useEffect(() => {
    if (count > 0) again();
  }, [count, again]);
  return { page: data && pageIn(data), problem: error ? problemIn(error) : null };
}

/** Counts events. Shares the layout's subscription, which does not replay past events. */
export function toldBy<Told>(query: TypedDocumentNode<Told, { id: string }>): (id: string) => number {
  return function useTold(id) {
    const [{ data }] = useSubscription<Told, number, { id: string }>(
      { query, variables: { id } },
      (count = 0) => count + 1,
    );
    return data ?? 0;
  };
}

function useOlder<Data, Id>(
  { document, pageIn }: LogSource<Data, Id>,
  variables: LogVariables<Id>,
  start: string | null,
  onPage: (page: LogPageFragment) => void,
) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const load = async () => {
    setBusy(true);
    const asked = { ...variables, before: start };
    const { data, error } = await client.query(document, asked, { requestPolicy: 'network-only' }).toPromise();
    setBusy(false);
    setProblem(error ? problemIn(error) : null);
    const page = data && pageIn(data);
    if (page) onPage(page);
  };
  return { load, isBusy, problem };
}

interface Kept {
  rows: ReadonlyMap<string, Row>;
  /** Cursor for the next older page. */
  start: string | null;
  hasOlder: boolean;
  isRead: boolean;
}

const NOTHING: Kept = { rows: new Map(), start: null, hasOlder: false, isRead: false };

function merged(kept: Kept, { page, isNewest }: { page: LogPageFragment; isNewest: boolean }): Kept {
  const entries = page.edges.map(({ node }) => node);
  // The new page does not overlap the loaded entries, so they are dropped.
  const hasGap =
    isNewest && kept.isRead && page.pageInfo.hasPreviousPage && !entries.some(({ id }) => kept.rows.has(id));
  const before = hasGap ? NOTHING : kept;
  const rows = new Map(before.rows);
  for (const entry of entries) {
    const isNew = rows.get(entry.id)?.isNew ?? (isNewest && kept.isRead);
    rows.set(entry.id, { entry, isNew });
  }
  const isOldest = !isNewest || !before.isRead;
  const edge = { start: page.pageInfo.startCursor, hasOlder: page.pageInfo.hasPreviousPage };
  return { ...(isOldest ? edge : before), rows, isRead: true };
}

function newestFirst(rows: Kept['rows']): Row[] {
  return [...rows.values()].sort((one, other) => compareIds(other.entry.id, one.entry.id));
}

/** Snowflakes exceed `Number.MAX_SAFE_INTEGER`. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}
