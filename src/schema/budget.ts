import { DomainError } from '../domain/errors.js';
import { nextTurn } from '../infra/turns.js';

/** What one operation may read and show (decisions 90). */
export const operationLimits = {
  /** Objects that are shown; an entry of a connection is one. */
  objects: 10_000,
  /** Rows that are read, without what is read along with each. */
  rows: 10_000,
  /** Of the values that are shown, and again of those that are read. */
  bytes: 8 * 1024 * 1024,
} as const;

/** What a caller pays for each operation, with which so many objects are paid. */
export const OPERATION_COST = 300;
/** How much is made in one turn of the event loop, in objects. */
export const OBJECTS_PER_TURN = 500;
/** What is paid like objects: a step, a fault of a document and a long input like so many, and so many bytes like one. */
const STEP_COST = 30;
const FAULT_COST = 100;
const LONG_INPUT_COST = 10_000;
const BYTES_PER_OBJECT = 1024;

/** Charges the caller for work, in objects. @throws RATE_LIMITED */
export type Pay = (objects: number) => Promise<void>;

/**
 * Counts what one operation makes while it is made. When a limit is passed, or the caller cannot pay for more, everything
 * from then on is refused.
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
  #steps: Promise<unknown> = Promise.resolve();
  #refusal: DomainError | null = null;

  /** @param paid what was paid before, in objects; below zero for what was made before and is still to be paid */
  constructor(
    private readonly pay: Pay,
    paid = OPERATION_COST,
  ) {
    this.#paid = paid;
    this.#sinceTurn = Math.max(0, -paid);
  }

  /** Why the operation was stopped; null while it goes on. */
  get refusal(): DomainError | null {
    return this.#refusal;
  }

  get bytesShown(): number {
    return this.#bytesShown;
  }

  /** How many rows the operation may still read. */
  get rowsLeft(): number {
    return operationLimits.rows - this.#rows;
  }

  /**
   * The same limits anew for the next event, paid by the same caller. An event counts as a step at least; what the events
   * before it left unpaid goes on, and so does what could not be paid.
   */
  renewed(): OperationBudget {
    const cost = this.#refusal ? 0 : STEP_COST;
    return new OperationBudget(this.pay, this.#paid - this.#cost - cost);
  }

  /** Counts objects, before their fields are resolved. @throws LIMIT_EXCEEDED */
  takeObjects(count: number): void {
    this.#objects += count;
    this.#sinceTurn += count;
    if (this.#objects > operationLimits.objects) throw this.#stop(`shows more than ${operationLimits.objects} objects`);
  }

  /** Counts a value that is shown. @throws LIMIT_EXCEEDED */
  takeValue(value: unknown): void {
    this.#bytesShown += bytesOf(value);
    if (this.#bytesShown > operationLimits.bytes) throw this.#stop(`shows more than ${operationLimits.bytes} bytes`);
  }

  /**
   * What has to be waited for before more is made: others have a turn once {@link OBJECTS_PER_TURN} objects were made, and the
   * caller pays for these. Null while there is nothing to wait for.
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
   * Does a piece of the operation's work that reads, one piece after another, with a turn for others now and then. A piece must
   * not wait for another.
   * @throws RATE_LIMITED, and whatever the operation was stopped by
   */
  step<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#steps.then(() => this.#step(work));
    this.#steps = done.catch(() => {});
    return done;
  }

  /**
   * Reads rows, as a {@link step}: no more than are left and one, by which it is seen that there are more.
   * @param most how many rows are wanted
   * @param query reads so many rows at most
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

  /** Stops the operation when it wants more rows than are left. @throws LIMIT_EXCEEDED */
  requireRows(count: number): void {
    if (count > this.rowsLeft) throw this.#stop(`reads more than ${operationLimits.rows} rows`);
  }

  /** Charges the caller for faults of a document that is refused, without waiting: a caller who cannot pay is refused the next operation. */
  payForFaults(count: number): void {
    if (count > 0) this.pay(count * FAULT_COST).catch(() => {});
  }

  /** Charges the caller for an input with more values than any but lists of commands have. @throws RATE_LIMITED */
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

  /** What was made so far, in objects. */
  get #cost(): number {
    return this.#objects + this.#stepCount * STEP_COST + Math.ceil(this.#bytesShown / BYTES_PER_OBJECT);
  }

  async #giveTurn(): Promise<void> {
    await nextTurn();
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
      `This operation ${what}; that is the limit. Ask for smaller pages or fewer fields.`,
    );
    return this.#refusal;
  }
}

/** Roughly what a value takes as JSON, its name included. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 8 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 16;
  let bytes = 16;
  for (const entry of Array.isArray(value) ? value : Object.values(value)) bytes += bytesOf(entry);
  return bytes;
}
