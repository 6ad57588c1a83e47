import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';

const toasts = Toast.createToastManager();

/** The title is the id, so a repeated message replaces the visible one. */
export function say(title: string): void {
  toasts.add({ id: title, title });
}

/** Screen readers announce it at once. */
export function complain(title: string): void {
  toasts.add({ title, priority: 'high' });
}

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast card">
      <Toast.Title />
      <Toast.Close className="link" aria-label="Close">
        Close
      </Toast.Close>
    </Toast.Root>
  ));
}
