import { Readable } from 'node:stream';
import { z } from 'zod';
import type { AppContext } from '../../context.js';
import { limits } from '../../domain/limits.js';
import type { UploadedFile } from '../../domain/messages/index.js';

export const UPLOADS_PER_CALL = limits.attachmentsPerMessage;

export const TestFile = z.strictObject({
  name: z.string().min(1).max(255),
  content: z.base64().describe('The bytes in base64.'),
  contentType: z.string().default('application/octet-stream'),
});

export type TestFile = z.output<typeof TestFile>;

export function receive({ blobs }: Pick<AppContext, 'blobs'>, files: readonly TestFile[]): Promise<UploadedFile[]> {
  return Promise.all(
    files.map(async ({ name, content, contentType }, index) => {
      const blob = await blobs.stage(Readable.from([Buffer.from(content, 'base64')]));
      return { index, blob, filename: name, contentType };
    }),
  );
}
