/** Ascending by id. */
export interface IdPage {
  /** Exclusive lower bound. */
  after?: bigint | undefined;
  take: number;
}
