type Version = [major: number, minor: number, patch: number];

/**
 * The version that a release gets.
 * @param asked a version, or the part of the current one to raise
 * @throws if it is not higher than the current version
 */
export function nextVersion(current: string, asked: string): string {
  const [major, minor, patch] = parseVersion(current);
  switch (asked) {
    case 'major':
      return `${major + 1}.0.0`;
    case 'minor':
      return `${major}.${minor + 1}.0`;
    case 'patch':
      return `${major}.${minor}.${patch + 1}`;
    default:
      if (!isHigher(asked, current)) throw new Error(`${asked} is not higher than the current version ${current}.`);
      return asked;
  }
}

export function isHigher(version: string, than: string): boolean {
  const [one, other] = [parseVersion(version), parseVersion(than)];
  const different = one.findIndex((part, at) => part !== other[at]);
  return different >= 0 && (one[different] ?? 0) > (other[different] ?? 0);
}

function parseVersion(version: string): Version {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (patch === undefined) throw new Error(`"${version}" is not a version. Use one such as 1.2.3.`);
  return [Number(major), Number(minor), Number(patch)];
}

/** The versions in the first column of the table in docs/upgrading.md. */
export function versionsInTable(page: string): string[] {
  return [...page.matchAll(/^\| (\d+\.\d+\.\d+) \|/gm)].map(([, version = '']) => version);
}
