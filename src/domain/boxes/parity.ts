/** What becomes of a REST route whose target is a self-hosted guild (service description, section 4). */
export interface ParityRow {
  /** What it is about, for who groups them: a noun, such as `messages`. */
  area: string;
  method: string;
  /** Relative to `{base_url}`, with parameters as `:name`. */
  path: string;
  outcome: 'works' | '501' | '404' | '204';
  /** What else there is to say; null for nothing. */
  note: string | null;
}
