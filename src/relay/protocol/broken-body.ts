/** A body of which not everything was sent, or did not arrive. */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody';
}

/** So many bytes of pieces may be sent before more is allowed (docs/relay.md, R-22). */
export interface CreditLimits {
  /** On each stream. */
  streamCredit: number;
  /** On all streams together. */
  boxCredit: number;
}
