// Checks comments, documents, test titles, strings and commit subjects: npm run prose [-- PATH…]
import { execFileSync } from 'node:child_process';
import { faultsOf } from './prose/rules.js';
import { textsIn, trackedFiles } from './prose/texts.js';

/** The last commit before this check. */
const BEFORE = 'c63506b1';
const LONGEST_SUBJECT = 72;

const paths = process.argv.slice(2);
const findings = [...wantedFiles().flatMap(findingsIn), ...(paths.length === 0 ? longSubjects() : [])];
for (const finding of findings) console.log(finding);
if (findings.length > 0) {
  console.error(`${findings.length} findings. The rules are in scripts/prose/rules.ts.`);
  process.exitCode = 1;
}

function wantedFiles(): string[] {
  const files = trackedFiles();
  return paths.length > 0 ? files.filter((file) => paths.some((path) => isAtOrBelow(file, path))) : files;
}

function isAtOrBelow(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path.replace(/\/$/, '')}/`);
}

function findingsIn(file: string): string[] {
  return textsIn(file).flatMap((text) => faultsOf(text).map((fault) => `${file}:${text.line} ${text.kind} ${fault}`));
}

function longSubjects(): string[] {
  try {
    const log = execFileSync('git', ['log', '--format=%h %s', `${BEFORE}..HEAD`], { encoding: 'utf8', stdio: 'pipe' });
    return log
      .split('\n')
      .filter((line) => line.length > line.indexOf(' ') + 1 + LONGEST_SUBJECT)
      .map((line) => `commit ${line}: the subject has more than ${LONGEST_SUBJECT} characters`);
  } catch {
    console.log(`Subjects of commits are not checked: there is no history since ${BEFORE}.`);
    return [];
  }
}
