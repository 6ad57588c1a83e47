export interface InstancePage {
  take: number;
  /** Starts at the newest. */
  backwards: boolean;
  /** Exclusive bounds, as ids. */
  after?: bigint | undefined;
  before?: bigint | undefined;
}

/** Condition on the id. */
export function pageOf<Column extends string>(
  { after, before }: InstancePage,
  column: Column,
): { [C in Column]?: { gt?: bigint; lt?: bigint } } {
  const bounds = { ...(after === undefined ? {} : { gt: after }), ...(before === undefined ? {} : { lt: before }) };
  return { [column]: bounds } as { [C in Column]?: typeof bounds };
}
