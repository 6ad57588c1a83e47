/** A REST route on a self-hosted guild (service description, section 4). */
export interface ParityRow {
  /** The noun to group by, such as `messages`. */
  area: string;
  method: string;
  /** Relative to `{base_url}`. Parameters are written `:name`. */
  path: string;
  outcome: 'works' | '501' | '404' | '204';
  note: string | null;
}
