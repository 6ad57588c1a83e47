import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type BoxConfig, StartError } from '../../config.js';
import { createSigningKeys, signWith } from '../../infra/crypto/keys.js';
import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import { ID_SPACES, parseSnowflake } from '../../infra/ids/ids.js';

const hexKey = z.string().regex(/^[0-9a-f]{64}$/);

const Credentials = z.object({
  cloudUrl: z.string(),
  publicKey: hexKey,
  /** The Ed25519 seed. */
  privateKey: hexKey,
  /** Hex SHA-256 of the token that enrols this key. */
  tokenHash: hexKey.optional(),
});

const Stored = Credentials.extend({
  /** The enrolment sets `boxId` and `idSpace`. */
  boxId: z
    .string()
    .refine((text) => parseSnowflake(text) !== undefined)
    .optional(),
  idSpace: z.number().int().min(ID_SPACES.first).max(ID_SPACES.last).optional(),
  /** Kept until the cloud accepts the present credentials. */
  before: Credentials.optional(),
});

type StoredIdentity = z.output<typeof Stored>;

export interface Enrolment {
  boxId: bigint;
  idSpace: number;
}

/** Stored in a file next to the data that only its owner can read. */
export class BoxIdentity {
  private constructor(
    private readonly file: string,
    private stored: StoredIdentity,
  ) {}

  /**
   * Creates an identity if there is none. A new token requests another key or cloud. If that fails, `goBack` restores
   * the earlier credentials.
   * @throws {StartError} for an unreadable identity or another cloud's, or if there is neither identity nor cloud
   */
  static open(dataDir: string, { cloudUrl, token }: BoxConfig): BoxIdentity {
    const file = identityFile(dataDir);
    const stored = read(file);
    if (!stored && cloudUrl === null) {
      throw new StartError(
        `there is no box in ${dataDir} yet: for the first start, set CLOUD_URL to the origin of its cloud`,
      );
    }
    const tokenHash = token === null ? undefined : hashSecret(token);
    const url = cloudUrl ?? stored?.cloudUrl ?? '';
    if (!stored) return BoxIdentity.#kept(file, { cloudUrl: url, ...createSigningKeys(), tokenHash });
    if (tokenHash !== undefined && tokenHash !== stored.tokenHash) {
      return BoxIdentity.#kept(file, { ...renewed(stored), cloudUrl: url, tokenHash });
    }
    if (stored.cloudUrl === url) return new BoxIdentity(file, stored);
    // No cloud has accepted this identity yet.
    if (stored.boxId === undefined) return BoxIdentity.#kept(file, { ...stored, cloudUrl: url });
    throw new StartError(
      `the box in ${dataDir} belongs to ${stored.cloudUrl}, but CLOUD_URL is ${url}: change CLOUD_URL, use another DATA_DIR, or set BOX_TOKEN to a token of the new cloud`,
    );
  }

  static #kept(file: string, stored: StoredIdentity): BoxIdentity {
    write(file, stored);
    return new BoxIdentity(file, stored);
  }

  get cloudUrl(): string {
    return this.stored.cloudUrl;
  }

  /** 32 bytes in base64url. */
  get key(): string {
    return Buffer.from(this.stored.publicKey, 'hex').toString('base64url');
  }

  get enrolment(): Enrolment | null {
    const { boxId, idSpace } = this.stored;
    return boxId === undefined || idSpace === undefined ? null : { boxId: BigInt(boxId), idSpace };
  }

  /** False if the cloud is known to have the key. */
  get needsEnrolment(): boolean {
    return this.enrolment === null || this.isChangingKeys;
  }

  get isChangingKeys(): boolean {
    return this.stored.before !== undefined;
  }

  get hasToken(): boolean {
    return this.stored.tokenHash !== undefined;
  }

  enrol({ boxId, idSpace }: Enrolment): void {
    const { before: _, ...stored } = this.stored;
    this.#keep({ ...stored, boxId: String(boxId), idSpace });
  }

  goBack(): void {
    const { before, boxId, idSpace } = this.stored;
    if (before) this.#keep({ ...before, boxId, idSpace });
  }

  /** @returns base64url */
  sign(text: string): string {
    return signWith(this.stored.privateKey, Buffer.from(text)).toString('base64url');
  }

  #keep(stored: StoredIdentity): void {
    write(this.file, stored);
    this.stored = stored;
  }
}

/** Creates no key for a box that is not enrolled, or whose new key the cloud may have accepted. */
function renewed(stored: StoredIdentity): StoredIdentity {
  if (stored.boxId === undefined || stored.before) return stored;
  const { boxId, idSpace, ...before } = stored;
  return { cloudUrl: stored.cloudUrl, ...createSigningKeys(), boxId, idSpace, before };
}

/**
 * Only an enrolled box has an id space.
 * @throws {StartError}
 */
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
    throw new StartError(`could not read ${file}: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    // The message of the cause might contain the private key.
    throw new StartError(`${file} is damaged: restore it from a backup, or enrol a new box in another DATA_DIR`);
  }
}

/** Atomic and synced to disk, because a key that the cloud knows must not be lost. */
function write(file: string, stored: StoredIdentity): void {
  const whole = `${file}.${randomToken(8)}`;
  try {
    synced(openSync(whole, 'wx', 0o600), (descriptor) => writeSync(descriptor, JSON.stringify(stored)));
    renameSync(whole, file);
    synced(openSync(dirname(file), 'r'), () => {});
  } catch (error) {
    rmSync(whole, { force: true });
    throw new StartError(`could not write ${file}: ${error instanceof Error ? error.message : error}`);
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

/** Opening the data folder reports ENOTDIR later. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
