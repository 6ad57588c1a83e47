import { useBlocker } from '@tanstack/react-router';
import { isLostWithPage, isLostWithTab, isSecretLost } from '../unsaved.js';
import { Question } from './question.js';

/** Asks before navigation, history or closing the tab loses unsaved input. */
export function LeaveGuard() {
  const blocker = useBlocker({
    shouldBlockFn: isLostWithPage,
    enableBeforeUnload: isLostWithTab,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveQuestion onStay={blocker.reset} onLeave={blocker.proceed} />;
}

interface LeaveQuestionProps {
  onStay: () => void;
  onLeave: () => void;
}

export function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  const isSecret = isSecretLost();
  return (
    <Question
      title={isSecret ? 'Leave without storing the secret?' : 'Leave without saving?'}
      safe="Stay"
      onSafe={onStay}
      action={
        <button type="button" className="bad" onClick={onLeave}>
          Leave
        </button>
      }
    >
      <p>{isSecret ? 'You will not be able to see it again.' : 'Your unsaved input will be lost.'}</p>
    </Question>
  );
}
