import { useEffect, useMemo, useReducer, useState } from 'react';
import { type TypedDocumentNode, useClient } from 'urql';
import type { LogEntryFragment, LogPageFragment } from '../../gql/types.js';
import { useSubscription } from '../../live.js';
import { useQuery } from '../../query.js';
import { type Problem, problemIn } from '../../ui/problems.js';

/** Where a log is asked for. */
export interface LogSource<Data, Told> {
  document: TypedDocumentNode<Data, LogVariables>;
  /** Undefined where there is nothing any more. */
  pageIn(data: Data): LogPageFragment | undefined;
  /** Tells that something may have been done. */
  told: TypedDocumentNode<Told, { id: string }>;
}

export interface LogVariables {
  id: string;
  before?: string | null | undefined;
  actions?: readonly string[] | null | undefined;
  actorId?: string | null | undefined;
}

/** An entry, and whether it came while the log was being read. */
export interface Row {
  entry: LogEntryFragment;
  isNew: boolean;
}

export interface Log {
  /** Newest first; undefined while they are on their way. */
  rows: Row[] | undefined;
  hasOlder: boolean;
  loadOlder: () => void;
  isBusy: boolean;
  problem: Problem | null;
}

/**
 * Reads a log from its newest end and keeps what it read: entries never change. What is done meanwhile is added, and marked.
 * The variables have to stay the same for as long as it is used.
 */
export function useLog<Data, Told>(source: LogSource<Data, Told>, variables: LogVariables): Log {
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

/** The newest page, asked for again whenever something may have been done. */
function useNewest<Data, Told>({ document, pageIn, told }: LogSource<Data, Told>, variables: LogVariables) {
  const { data, error, again } = useQuery<Data, LogVariables>({ query: document, variables });
  const count = useTold(told, variables.id);
  useEffect(() => {
    if (count > 0) again();
  }, [count, again]);
  return { page: data && pageIn(data), problem: error ? problemIn(error) : null };
}

/** How often it was told so far. Shares the subscription of the layout, which does not say again what it said already. */
function useTold<Told>(query: TypedDocumentNode<Told, { id: string }>, id: string): number {
  const [{ data }] = useSubscription<Told, number, { id: string }>(
    { query, variables: { id } },
    (count = 0) => count + 1,
  );
  return data ?? 0;
}

function useOlder<Data, Told>(
  { document, pageIn }: LogSource<Data, Told>,
  variables: LogVariables,
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
  /** Where the page before begins. */
  start: string | null;
  hasOlder: boolean;
  isRead: boolean;
}

const NOTHING: Kept = { rows: new Map(), start: null, hasOlder: false, isRead: false };

function merged(kept: Kept, { page, isNewest }: { page: LogPageFragment; isNewest: boolean }): Kept {
  const entries = page.edges.map(({ node }) => node);
  // So much was done meanwhile that what lies between is not known: it begins anew.
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

/** Ids are decimal numbers that do not fit into a number of the language. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}
