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

  const urls = [
    { name: 'Marketplace', url: place.dataset.marketplace },
    { name: 'Data API', url: place.dataset.dataApi },
  ];

  // Swagger UI takes several addresses only with a bar of its own, which has a logo and a field to type in.
  const offerChoice = (ui) => {
    const choice = document.createElement('select');
    for (const { name, url } of urls) choice.append(new Option(name, url));
    choice.addEventListener('change', () => {
      ui.specActions.updateUrl(choice.value);
      ui.specActions.download(choice.value);
    });
    const label = document.createElement('label');
    label.append('API: ', choice);
    place.before(label);
  };

  const ui = SwaggerUIBundle({
    plugins: [plainPaths],
    url: urls[0].url,
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
  offerChoice(ui);
})();
