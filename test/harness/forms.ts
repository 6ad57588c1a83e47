import type { GraphqlAnswer, Loose } from './graphql.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';

export interface FormFile {
  /** Paths in the operation, such as `variables.file`. */
  places: string[];
  content: string | Uint8Array<ArrayBuffer>;
  filename?: string;
  type?: string;
}

/** An operation with files, by the GraphQL multipart request convention. The n-th file is the part `n`. */
export function operationForm(operation: object, files: FormFile[]): FormData {
  const form = new FormData();
  form.append('operations', JSON.stringify(operation));
  form.append('map', JSON.stringify(Object.fromEntries(files.map(({ places }, n) => [n, places]))));
  for (const [n, { content, filename = `file-${n}.txt`, type = '' }] of files.entries()) {
    form.append(String(n), new Blob([content], { type }), filename);
  }
  return form;
}

export async function sendForm(
  server: Pick<TestServer, 'origin'>,
  person: Person | null,
  form: FormData,
): Promise<GraphqlAnswer<Loose>> {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: person ? { authorization: `Bearer ${person.token}` } : {},
    body: form,
  });
  const { data = null, errors = [] } = (await response.json()) as { data?: Loose; errors?: [] };
  return { status: response.status, data, errors };
}

export function countHeld({ app: { bodies } }: Pick<TestServer, 'app'>): { bytes: number } {
  const seen = { bytes: 0 };
  const { hold } = bodies;
  bodies.hold = (sender) => {
    const held = hold.call(bodies, sender);
    let size = 0;
    return {
      add(bytes) {
        held.add(bytes);
        size += bytes;
        seen.bytes += bytes;
      },
      release() {
        held.release();
        seen.bytes -= size;
        size = 0;
      },
    };
  };
  return seen;
}

export function countReceived({ app: { blobs } }: Pick<TestServer, 'app'>): { files: number; bytes: number } {
  const seen = { files: 0, bytes: 0 };
  const { stage } = blobs;
  blobs.stage = async (content) => {
    seen.files += 1;
    const blob = await stage.call(blobs, content);
    seen.bytes += blob.size;
    return blob;
  };
  return seen;
}
