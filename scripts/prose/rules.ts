// Plain-English rules that a program can check.
import type { Text } from './texts.js';

/** A sentence may have 25 words; more than this is refused. */
const MOST_WORDS = 30;

const HEADLESS = /^(Who|Whom|Whose|Whoever|What|Whatever|Whichever)\b(?!.*\?$)/;

/** Words for which the field has clearer ones. */
const WORDS: [RegExp, string][] = [
  [/\b(some|no|any|every)body('s)?\b/i, 'name the caller, user, client or process'],
  [/\banew\b/i, 'write "again"'],
  [/\bbeside\b/i, 'write "next to" or "in addition to"'],
  [/\bmeanwhile\b/i, 'write "during" or "in the meantime"'],
  [/\b(tells?|told|telling)\b/i, 'write "publish", "send", "return", "report" or "log"'],
];

export function faultsOf({ kind, text }: Pick<Text, 'kind' | 'text'>): string[] {
  const faults: string[] = [];
  for (const sentence of sentencesOf(text)) {
    if (isSentence(kind, sentence) && HEADLESS.test(sentence)) faults.push(`has no subject: "${start(sentence)}"`);
    const words = countWords(sentence);
    if (words > MOST_WORDS) faults.push(`has ${words} words: "${start(sentence)}"`);
    for (const [pattern, advice] of WORDS) {
      const found = pattern.exec(withoutCode(sentence));
      if (found) faults.push(`"${found[0]}": ${advice}: "${start(sentence)}"`);
    }
  }
  return faults;
}

/** A heading or a cell of a table may be a phrase, and a title continues that of its group. */
function isSentence(kind: Text['kind'], text: string): boolean {
  return kind === 'comment' || (kind !== 'title' && /[.!:]$/.test(text));
}

/** The sentences of a paragraph. A full stop in code, a number or an abbreviation does not end a sentence. */
export function sentencesOf(text: string): string[] {
  const spans: string[] = [];
  const masked = text.replace(/`[^`]*`/g, (span) => `\`${spans.push(span) - 1}\``);
  return masked
    .replace(/\b(e\.g|i\.e|etc|vs|cf)\./g, '$1')
    .split(/(?<=[.!?…][)"”’*_]*)\s+(?=[\p{Lu}\d`"“*_([])/u)
    .map((sentence) => sentence.replace(/^[*_"“([]+/, '').trim())
    .map((sentence) => sentence.replace(/`(\d+)`/g, (_, index) => spans[Number(index)] ?? ''))
    .filter((sentence) => sentence !== '');
}

/** Code, links and formulas count as one word each. */
export function countWords(text: string): number {
  const plain = withoutCode(text)
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'link');
  return plain.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, 'code').replace(/\{@link [^}]*\}/g, 'code');
}

function start(sentence: string): string {
  return sentence.length > 70 ? `${sentence.slice(0, 69)}…` : sentence;
}
