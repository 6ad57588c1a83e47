import { readdirSync, readFileSync } from 'node:fs';

export interface RecordedFrame {
  from: 'box' | 'cloud';
  message: string | Buffer;
}

const FOLDER = new URL('../fixtures/relay/', import.meta.url);

export const CONVERSATIONS = readdirSync(FOLDER)
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

/**
 * All conversations of the relay protocol (docs/relay.md) use the same key, nonce and origin, so that the signature is
 * valid.
 */
export function readConversation(name: string): RecordedFrame[] {
  const frames = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Recorded[];
  return frames.map((frame) => ({
    from: frame.from,
    message: 'text' in frame ? frame.text : Buffer.from(frame.bytes, 'base64'),
  }));
}

type Recorded = { from: RecordedFrame['from'] } & ({ text: string } | { bytes: string });
