/** Ctrl-C and SIGTERM, for trials that then stop in good order what they have started. */
export function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
  });
}
