import { useRef, useState } from 'react';

interface RowDialog<What extends string, Row> {
  /** Null if closed. If the row was removed, `row` is its last state and `isGone` is true. */
  dialog: { what: What; row: Row; isGone: boolean } | null;
  open: (what: What, row: Row) => void;
  close: () => void;
}

/** One dialog for all rows. It outlives its row, so that input is kept if another user removes it. */
export function useRowDialog<What extends string, Row extends { id: string }>(
  rows: readonly Row[],
): RowDialog<What, Row> {
  const [opened, setOpened] = useState<{ what: What; row: Row } | null>(null);
  const found = rows.find(({ id }) => id === opened?.row.id);
  const last = useRef<Row | null>(null);
  if (found) last.current = found;
  return {
    dialog: opened && { what: opened.what, row: found ?? last.current ?? opened.row, isGone: !found },
    open: (what, row) => {
      last.current = row;
      setOpened({ what, row });
    },
    close: () => setOpened(null),
  };
}

export function GoneMeanwhile({ isGone }: { isGone: boolean }) {
  if (!isGone) return null;
  return (
    <p className="notice warn" role="alert">
      Someone else deleted this item. Your input stays here until you close the dialog.
    </p>
  );
}
