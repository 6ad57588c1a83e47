import type { Readable } from 'node:stream';
import { DomainError, invalidInput } from '../domain/errors.js';

/**
 * Reads all of a stream as UTF-8. A stream that is too long is not ended: what is left of it is dropped as it comes, so
 * that its sender can still be answered.
 * @throws REQUEST_TOO_LARGE beyond `maxBytes`, INVALID_INPUT for a stream that breaks off
 */
export function readText(stream: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(requestTooLarge());
    });
    stream.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    stream.on('error', () => reject(brokenOff()));
    stream.on('close', () => {
      if (!stream.readableEnded) reject(brokenOff());
    });
  });
}

export function requestTooLarge(): DomainError {
  return new DomainError('REQUEST_TOO_LARGE', 'Request entity too large');
}

function brokenOff(): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message: 'The request ended before its body did.' });
}
