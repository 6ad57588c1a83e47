import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml';

export interface Fault {
  /** From 1; null if the fault has no place. */
  line: number | null;
  /** Steps joined by dots; empty for the whole file. */
  path: string;
  message: string;
}

export interface YamlFile {
  content: unknown;
  /** Line of the field, or of the innermost one around it that exists. */
  lineOf(path: string): number | null;
}

export function writeYaml(content: unknown): string {
  return stringify(content, { lineWidth: 0 });
}

/** Whole numbers beyond the safe ones are IDs, and become text. */
export function readYaml(text: string): YamlFile | { faults: Fault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    return { faults: document.errors.map(({ message, pos }) => ({ line: lineAt(pos[0]), path: '', message })) };
  }
  try {
    const content: unknown = document.toJS({
      reviver: (_key, value) => (typeof value === 'bigint' ? plain(value) : value),
    });
    return {
      content,
      lineOf: (path) => {
        const [start] = placeOf(document.contents, path.split('.'))?.range ?? [];
        return start === undefined ? null : lineAt(start);
      },
    };
  } catch (error) {
    // Aliases can make a small text large.
    return { faults: [{ line: null, path: '', message: error instanceof Error ? error.message : String(error) }] };
  }
}

function plain(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function placeOf(root: Node | null, steps: readonly string[]): Node | null {
  let [place, node] = [root, root];
  for (const step of steps) {
    if (isMap<Node, Node>(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (!pair) break;
      place = pair.key;
      node = pair.value;
    } else if (isSeq<Node>(node)) {
      node = node.items[Number(step)] ?? null;
      place = node ?? place;
    } else {
      break;
    }
  }
  return place;
}
