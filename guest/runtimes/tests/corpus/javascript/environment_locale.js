// case: {"environment": {"LC_ALL": "de_DE.UTF-8"}}
console.log((1234.5).toLocaleString(), new Date(0).toLocaleDateString(), Intl.DateTimeFormat().resolvedOptions().locale);
