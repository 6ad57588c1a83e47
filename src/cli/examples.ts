/** The end of a command's help. Each example is a line of a shell, and what it does. */
export function examples(...lines: [line: string, effect: string][]): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return ['', 'Examples:', ...lines.map(([line, effect]) => `  ${line.padEnd(width)}  ${effect}`)].join('\n');
}
