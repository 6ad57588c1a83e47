import { DomainError } from '../domain/errors.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import { Mutex } from '../infra/concurrency/mutex.js';

/** Limits per operation. Lengths of lists are known only after reading, so the limits apply during the operation. */
export const operationLimits = {
  /** An entry of a connection is one object. */
  objects: 10_000,
  /** Without related rows that the same query reads. */
  rows: 10_000,
  /** For values returned, and again for values read. */
  bytes: 8 * 1024 * 1024,
} as const;

/** Charge per operation, in objects. It covers the first objects. */
export const OPERATION_COST = 300;
/** Objects before an operation yields to the event loop. */
export const OBJECTS_PER_TURN = 500;
/** Charges in objects, and bytes per object. */
const STEP_COST = 30;
const FAULT_COST = 100;
const LONG_INPUT_COST = 10_000;
const BYTES_PER_OBJECT = 1024;

/** @throws RATE_LIMITED */
export type Pay = (objects: number) => Promise<void>;

/**
 * Counts an operation's work while it runs. After a limit is exceeded or the caller cannot pay, everything is rejected.
 */
export class OperationBudget {
  #objects = 0;
  #rows = 0;
  #stepCount = 0;
  #bytesRead = 0;
  #bytesShown = 0;
  #paid: number;
  #sinceTurn: number;
  #turn: Promise<void> | null = null;
  readonly #steps = new Mutex();
  #refusal: DomainError | null = null;

  /** @param paid objects paid in advance; negative for debt of earlier events */
  constructor(
    private readonly pay: Pay,
    paid = OPERATION_COST,
  ) {
    this.#paid = paid;
    this.#sinceTurn = Math.max(0, -paid);
  }

  /** Why the operation was stopped; null while it runs. */
  get refusal(): DomainError | null {
    return this.#refusal;
  }

  get bytesShown(): number {
    return this.#bytesShown;
  }

  get rowsLeft(): number {
    return operationLimits.rows - this.#rows;
  }

  /** Fresh limits for a subscription's next event, which costs at least one step. Debt stays due. */
  renewed(): OperationBudget {
    const cost = this.#refusal ? 0 : STEP_COST;
    return new OperationBudget(this.pay, this.#paid - this.#cost - cost);
  }

  /** Call before resolving the objects' fields. @throws LIMIT_EXCEEDED */
  takeObjects(count: number): void {
    this.#objects += count;
    this.#sinceTurn += count;
    if (this.#objects > operationLimits.objects)
      throw this.#stop(`returns more than ${operationLimits.objects} objects`);
  }

  /** @throws LIMIT_EXCEEDED */
  takeValue(value: unknown): void {
    this.#bytesShown += bytesOf(value);
    if (this.#bytesShown > operationLimits.bytes) throw this.#stop(`returns more than ${operationLimits.bytes} bytes`);
  }

  /**
   * A promise to await before more work, or null. After {@link OBJECTS_PER_TURN} objects it yields and charges the
   * caller.
   */
  turn(): Promise<void> | null {
    if (this.#sinceTurn < OBJECTS_PER_TURN) return this.#turn;
    this.#sinceTurn = 0;
    const turn = (this.#turn ?? Promise.resolve()).then(() => this.#giveTurn());
    const end = () => {
      if (this.#turn === turn) this.#turn = null;
    };
    turn.then(end, end);
    this.#turn = turn;
    return turn;
  }

  /**
   * Runs a read. Steps run one after another, so a step must not wait for another one.
   * @throws RATE_LIMITED, and the error that stopped the operation
   */
  step<T>(work: () => Promise<T>): Promise<T> {
    return this.#steps.run(() => this.#step(work));
  }

  /**
   * A {@link step} that reads rows, at most one more than the limit allows.
   * @param query reads at most `take` rows
   * @throws LIMIT_EXCEEDED, RATE_LIMITED
   */
  read<Row>(most: number, query: (take: number) => Promise<Row[]>): Promise<Row[]> {
    return this.step(async () => {
      const rows = await query(Math.min(most, this.rowsLeft + 1));
      this.requireRows(rows.length);
      this.#rows += rows.length;
      this.#bytesRead += bytesOf(rows);
      if (this.#bytesRead > operationLimits.bytes) throw this.#stop(`reads more than ${operationLimits.bytes} bytes`);
      this.#sinceTurn += rows.length;
      return rows;
    });
  }

  /** @throws LIMIT_EXCEEDED if fewer rows are left */
  requireRows(count: number): void {
    if (count > this.rowsLeft) throw this.#stop(`reads more than ${operationLimits.rows} rows`);
  }

  /** Does not wait. A caller who cannot pay is rejected at the next operation. */
  payForFaults(count: number): void {
    if (count > 0) this.pay(count * FAULT_COST).catch(() => {});
  }

  /** For inputs longer than any but command lists. @throws RATE_LIMITED */
  payForLongInput(): Promise<void> {
    return this.pay(LONG_INPUT_COST);
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#refusal) throw this.#refusal;
    const result = await work();
    this.#stepCount += 1;
    this.#sinceTurn += STEP_COST;
    await this.turn();
    return result;
  }

  /** In objects. */
  get #cost(): number {
    return this.#objects + this.#stepCount * STEP_COST + Math.ceil(this.#bytesShown / BYTES_PER_OBJECT);
  }

  async #giveTurn(): Promise<void> {
    await yieldToEventLoop();
    const due = this.#cost - this.#paid;
    if (this.#refusal) throw this.#refusal;
    if (due <= 0) return;
    this.#paid += due;
    try {
      await this.pay(due);
    } catch (error) {
      this.#paid -= due;
      if (error instanceof DomainError) this.#refusal ??= error;
      throw error;
    }
  }

  #stop(what: string): DomainError {
    this.#refusal ??= new DomainError(
      'LIMIT_EXCEEDED',
      `This operation ${what}. Request smaller pages or fewer fields.`,
    );
    return this.#refusal;
  }
}

/** Approximate size as JSON, field name included. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 8 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 16;
  let bytes = 16;
  for (const entry of Array.isArray(value) ? value : Object.values(value)) bytes += bytesOf(entry);
  return bytes;
}
