/** A part of a list in ascending order of ids. */
export interface IdPage {
  /** Only ids above this one. */
  after?: bigint | undefined;
  take: number;
}
