/** The signals that ask a process to end: Ctrl-C, the system or a service manager, and a closed terminal. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
