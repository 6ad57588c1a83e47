import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { Lazy } from '../../infra/caching/lazy.js';

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Higher levels take several times as long for 5% less. */
const BROTLI_QUALITY = 5;

interface Compressed {
  path: string;
  br: Buffer;
  gzip: Buffer;
}

/** A library's script of several MB. It is compressed at the first request and kept compressed. */
export class LargeScript {
  readonly #script: Lazy<Compressed>;

  /**
   * @param folder path of the URL, such as `/graphql/files`
   * @param name start of the file name, which a hash of the content follows
   */
  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly load: () => Promise<string>,
  ) {
    this.#script = new Lazy(() => this.#compress());
  }

  async path(): Promise<string> {
    return (await this.#script.get()).path;
  }

  mount(http: FastifyInstance): void {
    http.get<{ Params: { name: string } }>(`${this.folder}/:name`, async ({ params, headers }, reply) => {
      const script = await this.#script.get();
      // The page is from another version, such as an old tab.
      if (script.path !== `${this.folder}/${params.name}`) return reply.callNotFound();
      reply.headers({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': FOR_EVER,
        vary: 'accept-encoding',
      });
      const encoding = encodingFor(headers['accept-encoding']);
      if (encoding) return reply.header('content-encoding', encoding).send(script[encoding]);
      const plain = createGunzip();
      plain.end(script.gzip);
      return reply.send(plain);
    });
  }

  async #compress(): Promise<Compressed> {
    const text = Buffer.from(await this.load());
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    return {
      path: `${this.folder}/${this.name}-${hash}.js`,
      br: await promisify(brotliCompress)(text, { params }),
      gzip: await promisify(gzip)(text),
    };
  }
}

/** RFC 9110, section 12.5.3; null if the client accepts neither. */
function encodingFor(accepted = ''): 'br' | 'gzip' | null {
  const taken = accepted.split(',').filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one));
  const names = taken.map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}
