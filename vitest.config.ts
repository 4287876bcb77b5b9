import { defineConfig } from 'vitest/config';

// The private export condition lets tests read sources, so no build is needed to run them.
const conditions = ['@vouch/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'tests/*/src/**/*.test.ts',
      'bench/**/*.test.ts',
      'tools/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    typecheck: {
      enabled: true,
      tsconfig: './tsconfig.test.json',
      include: ['packages/*/src/**/*.test-d.ts'],
      // The step "types of tests" reports those of all other files.
      ignoreSourceErrors: true,
    },
    testTimeout: 30_000,
  },
});
