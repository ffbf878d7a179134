/* Puts Swagger UI in the place of the plain list, in the colours the reader has chosen. Runs in the browser. */
(() => {
  const place = document.querySelector('#reference');
  const { SwaggerUIBundle } = globalThis;
  if (place === null || SwaggerUIBundle === undefined) return;

  const dark = globalThis.matchMedia('(prefers-color-scheme: dark)');
  const wearColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', wearColours);
  wearColours();

  // Swagger UI links the path inside of the button that opens the operation: a control within a control, which
  // keyboards and screen readers stumble over. The button writes the same address by itself.
  const plainPaths = ({ React }) => ({
    wrapComponents: {
      DeepLink:
        () =>
        ({ text }) =>
          React.createElement('span', null, text),
    },
  });

  SwaggerUIBundle({
    plugins: [plainPaths],
    url: place.dataset.description,
    domNode: place,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    // A key must not outlive the page.
    persistAuthorization: false,
    validatorUrl: null,
  });
})();
