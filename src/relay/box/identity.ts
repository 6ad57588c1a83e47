import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../config.js';
import { ID_SPACES, parseSnowflake } from '../../infra/ids.js';
import { createSigningKeys, signWith } from '../../infra/keys.js';
import { randomToken } from '../../infra/secrets.js';

const hexKey = z.string().regex(/^[0-9a-f]{64}$/);

const Stored = z.object({
  cloudUrl: z.string(),
  publicKey: hexKey,
  /** The seed. */
  privateKey: hexKey,
  /** Both from the enrolment on. */
  boxId: z
    .string()
    .refine((text) => parseSnowflake(text) !== undefined)
    .optional(),
  idSpace: z.number().int().min(ID_SPACES.first).max(ID_SPACES.last).optional(),
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

  /** The identity in a data folder, which is made and kept where there is none. @throws {StartError} for another cloud's, and one that cannot be read */
  static open(dataDir: string, cloudUrl: string): BoxIdentity {
    const file = identityFile(dataDir);
    const stored = read(file);
    if (!stored) {
      const made = { cloudUrl, ...createSigningKeys() };
      write(file, made);
      return new BoxIdentity(file, made);
    }
    if (stored.cloudUrl !== cloudUrl) {
      throw new StartError(
        `the box in ${dataDir} belongs to ${stored.cloudUrl}, and CLOUD_URL names ${cloudUrl}: set it to the former, or name another DATA_DIR`,
      );
    }
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

  /** Keeps what it was enrolled as. */
  enrol({ boxId, idSpace }: Enrolment): void {
    this.stored = { ...this.stored, boxId: String(boxId), idSpace };
    write(this.file, this.stored);
  }

  /** Its signature of a text, in base64url. */
  sign(text: string): string {
    return signWith(this.stored.privateKey, Buffer.from(text)).toString('base64url');
  }
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
