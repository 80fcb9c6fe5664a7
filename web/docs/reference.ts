/** The page of an API reference: Scalar renders the OpenAPI document. */
import '@scalar/api-reference/style.css';
import './reference.css';
import { createApiReference } from '@scalar/api-reference';
import { chooseTheme, keep } from './theme-choice.ts';

const { dataset } = document.documentElement;
dataset['script'] = 'on';
// Scalar follows our theme: its own switch is separate from that of our pages.
keep('colorMode', dataset['theme'] ?? 'system');
chooseTheme((theme) => {
  keep('colorMode', theme);
  const isDark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.body.classList.toggle('dark-mode', isDark);
  document.body.classList.toggle('light-mode', !isDark);
});

const reference = document.querySelector<HTMLElement>('#reference');
if (reference !== null)
  createApiReference(reference, {
    url: reference.dataset['description'] ?? '',
    // Fields in the order of the specification.
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    // Otherwise the list of operations shows the names of their groups alone.
    defaultOpenAllTags: true,
    hideDarkModeToggle: true,
    // Switches off everything that calls or advertises the maker's services.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
