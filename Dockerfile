# docker build -t relsmith . && docker run --rm -v "$PWD:/data" --user "$(id -u)" relsmith list
# More extras (docs/install.md): docker build --build-arg EXTRAS=stats,web,dask -t relsmith .
FROM python:3.13 AS build
ARG EXTRAS=stats,web,bulk,hub
WORKDIR /src
COPY . .
RUN python -m venv /opt/relsmith
ENV PATH=/opt/relsmith/bin:$PATH
# By hash; extras beyond the default ones are pinned by version only.
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/image.txt
RUN pip install --no-cache-dir -c constraints.txt ".[$EXTRAS]" ./examples/plugin

FROM python:3.13-slim
COPY --from=build /opt/relsmith /opt/relsmith
ENV PATH=/opt/relsmith/bin:$PATH
RUN useradd --create-home --uid 1000 gen && install -d -o gen -g gen /data
USER 1000
WORKDIR /data
ENTRYPOINT ["gen"]
CMD ["--help"]
