const UNRELEASED = '## Unreleased\n';

export interface ReleasedChangelog {
  /** The changelog with an empty chapter for what comes next. */
  text: string;
  /** The entries that were under Unreleased. */
  notes: string;
}

/**
 * Moves the entries under Unreleased to a chapter of the version.
 * @param date such as `2026-12-31`
 * @throws if there are no entries
 */
export function releaseChangelog(changelog: string, version: string, date: string): ReleasedChangelog {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) throw new Error('CHANGELOG.md has no chapter "Unreleased".');
  const before = changelog.slice(0, start);
  const rest = changelog.slice(start + UNRELEASED.length);
  const end = rest.search(/^## /m);
  const notes = (end < 0 ? rest : rest.slice(0, end)).trim();
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md has no entries under "Unreleased". Add what changed.');
  const older = end < 0 ? '' : `\n${rest.slice(end)}`;
  return { text: `${before}${UNRELEASED}\n## ${version} - ${date}\n\n${notes}\n${older}`, notes };
}
