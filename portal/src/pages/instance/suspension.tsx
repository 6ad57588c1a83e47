import { Ago } from '../../ui/times.js';

interface SuspensionProps {
  of: { suspendedAt: string | null; suspensionText: string | null };
  /** For example “They read”. */
  who: string;
}

/** Nothing if it is not suspended. */
export function Suspension({ of: { suspendedAt, suspensionText }, who }: SuspensionProps) {
  if (suspendedAt === null) return null;
  return (
    <section className="notice" aria-label="Suspension">
      <p>
        Suspended <Ago at={suspendedAt} />
      </p>
      {suspensionText && (
        <p>
          {who}: <bdi>{suspensionText}</bdi>
        </p>
      )}
    </section>
  );
}
