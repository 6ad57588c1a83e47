export class BrokenBody extends Error {
  override readonly name = 'BrokenBody';
}

/** Bytes that an end may send before it gets more credit (docs/relay.md, R-22). */
export interface CreditLimits {
  streamCredit: number;
  /** For all streams together. */
  boxCredit: number;
}
