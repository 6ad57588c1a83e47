import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type BoxConfig, StartError } from '../../config.js';
import { ID_SPACES, parseSnowflake } from '../../infra/ids.js';
import { createSigningKeys, signWith } from '../../infra/keys.js';
import { hashSecret, randomToken } from '../../infra/secrets.js';

const hexKey = z.string().regex(/^[0-9a-f]{64}$/);

/** By which a box is known to a cloud. */
const Credentials = z.object({
  cloudUrl: z.string(),
  publicKey: hexKey,
  /** The seed. */
  privateKey: hexKey,
  /** SHA-256 in hex of the token that the key was enrolled with, or is to be. */
  tokenHash: hexKey.optional(),
});

const Stored = Credentials.extend({
  /** Both from the enrolment on. */
  boxId: z
    .string()
    .refine((text) => parseSnowflake(text) !== undefined)
    .optional(),
  idSpace: z.number().int().min(ID_SPACES.first).max(ID_SPACES.last).optional(),
  /** Those that were good before, until the present ones are enrolled. */
  before: Credentials.optional(),
});

type StoredIdentity = z.output<typeof Stored>;

/** What the cloud has made of a box at its enrolment. */
export interface Enrolment {
  boxId: bigint;
  idSpace: number;
}

/** Who a box is: its cloud, its key, and what it was enrolled as. It is the owner's only, and lives as long as the data beside it. */
export class BoxIdentity {
  private constructor(
    private readonly file: string,
    private stored: StoredIdentity,
  ) {}

  /**
   * The identity in a data folder; where there is none, it is made for the cloud of `box`. Another token than the one that it was enrolled
   * with is the wish for another key, or for another cloud; where that fails, `goBack` has it go on as before.
   * @throws {StartError} for another cloud's, one that cannot be read, and where there is none and no cloud to make it for
   */
  static open(dataDir: string, { cloudUrl, token }: BoxConfig): BoxIdentity {
    const file = identityFile(dataDir);
    const stored = read(file);
    if (!stored && cloudUrl === null) {
      throw new StartError(
        `there is no box in ${dataDir} yet: the first start needs the origin of its cloud as CLOUD_URL`,
      );
    }
    const tokenHash = token === null ? undefined : hashSecret(token);
    const url = cloudUrl ?? stored?.cloudUrl ?? '';
    if (!stored) return BoxIdentity.#kept(file, { cloudUrl: url, ...createSigningKeys(), tokenHash });
    if (tokenHash !== undefined && tokenHash !== stored.tokenHash) {
      return BoxIdentity.#kept(file, { ...renewed(stored), cloudUrl: url, tokenHash });
    }
    if (stored.cloudUrl === url) return new BoxIdentity(file, stored);
    // Nobody knows it yet.
    if (stored.boxId === undefined) return BoxIdentity.#kept(file, { ...stored, cloudUrl: url });
    throw new StartError(
      `the box in ${dataDir} belongs to ${stored.cloudUrl}, and CLOUD_URL names ${url}: set it to the former, name another DATA_DIR, or give a token of the latter as BOX_TOKEN`,
    );
  }

  static #kept(file: string, stored: StoredIdentity): BoxIdentity {
    write(file, stored);
    return new BoxIdentity(file, stored);
  }

  /** The origin of its cloud. */
  get cloudUrl(): string {
    return this.stored.cloudUrl;
  }

  /** Its public key, 32 bytes in base64url. */
  get key(): string {
    return Buffer.from(this.stored.publicKey, 'hex').toString('base64url');
  }

  /** Null until it was enrolled. */
  get enrolment(): Enrolment | null {
    const { boxId, idSpace } = this.stored;
    return boxId === undefined || idSpace === undefined ? null : { boxId: BigInt(boxId), idSpace };
  }

  /** Whether the cloud is not known to have its key. */
  get needsEnrolment(): boolean {
    return this.enrolment === null || this.isChangingKeys;
  }

  /** Whether it is enrolled, and about to be so with another key. */
  get isChangingKeys(): boolean {
    return this.stored.before !== undefined;
  }

  /** Whether somebody gave a token for its key. */
  get hasToken(): boolean {
    return this.stored.tokenHash !== undefined;
  }

  /** Keeps what it was enrolled as. */
  enrol({ boxId, idSpace }: Enrolment): void {
    const { before: _, ...stored } = this.stored;
    this.#keep({ ...stored, boxId: String(boxId), idSpace });
  }

  /** Its key from before is the one that is good. */
  goBack(): void {
    const { before, boxId, idSpace } = this.stored;
    if (before) this.#keep({ ...before, boxId, idSpace });
  }

  /** Its signature of a text, in base64url. */
  sign(text: string): string {
    return signWith(this.stored.privateKey, Buffer.from(text)).toString('base64url');
  }

  #keep(stored: StoredIdentity): void {
    write(this.file, stored);
    this.stored = stored;
  }
}

/** With a key of its own, which the cloud may not know. One that is not enrolled, or may be by now, keeps its key. */
function renewed(stored: StoredIdentity): StoredIdentity {
  if (stored.boxId === undefined || stored.before) return stored;
  const { boxId, idSpace, ...before } = stored;
  return { cloudUrl: stored.cloudUrl, ...createSigningKeys(), boxId, idSpace, before };
}

/** Whether there is a box in a data folder that was enrolled: its ids are of its own kind, whoever goes on with it. @throws {StartError} */
export function holdsBox(dataDir: string): boolean {
  return read(identityFile(dataDir))?.idSpace !== undefined;
}

function identityFile(dataDir: string): string {
  return join(dataDir, 'box.json');
}

function read(file: string): StoredIdentity | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw new StartError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    // What the fault says might repeat the key.
    throw new StartError(`${file} is damaged: put it back from a backup, or enrol a new box in another DATA_DIR`);
  }
}

/** As a whole or not at all, and on the disk when it returns: a key that the cloud knows must not be lost. */
function write(file: string, stored: StoredIdentity): void {
  const whole = `${file}.${randomToken(8)}`;
  try {
    synced(openSync(whole, 'wx', 0o600), (descriptor) => writeSync(descriptor, JSON.stringify(stored)));
    renameSync(whole, file);
    synced(openSync(dirname(file), 'r'), () => {});
  } catch (error) {
    rmSync(whole, { force: true });
    throw new StartError(`${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

function synced(descriptor: number, work: (descriptor: number) => void): void {
  try {
    work(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Also where the folder is none, of which whoever opens it complains. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
